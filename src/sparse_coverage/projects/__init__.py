"""Projects: the searches, marks, notes and charts of one piece of work, each project one SQLite file in a folder."""

from sparse_coverage.projects.folder import ProjectEntry, ProjectFolder
from sparse_coverage.projects.project import Project
from sparse_coverage.projects.records import (
    Content,
    DocumentFacts,
    Draft,
    Head,
    KeptChart,
    Mark,
    ProjectClaim,
    RecordedResult,
    Ruling,
    SearchMade,
    StaleError,
    UnknownError,
)

__all__ = [
    "Content",
    "DocumentFacts",
    "Draft",
    "Head",
    "KeptChart",
    "Mark",
    "Project",
    "ProjectClaim",
    "ProjectEntry",
    "ProjectFolder",
    "RecordedResult",
    "Ruling",
    "SearchMade",
    "StaleError",
    "UnknownError",
]

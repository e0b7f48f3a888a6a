"""Projects: the searches, marks, notes and charts of one piece of work, each project one SQLite file in a folder."""

from sparse_coverage.projects.folder import ProjectEntry, ProjectFolder
from sparse_coverage.projects.kept import (
    Content,
    DocumentFacts,
    Draft,
    Found,
    Head,
    KeptChart,
    Mark,
    Ruling,
    SearchMade,
    StaleError,
    UnknownError,
)
from sparse_coverage.projects.project import Project

__all__ = [
    "Content",
    "DocumentFacts",
    "Draft",
    "Found",
    "Head",
    "KeptChart",
    "Mark",
    "Project",
    "ProjectEntry",
    "ProjectFolder",
    "Ruling",
    "SearchMade",
    "StaleError",
    "UnknownError",
]

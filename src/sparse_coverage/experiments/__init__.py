"""Studies over collections: systems evaluated, the tables and figures of the paper reproduced, nothing computed twice."""

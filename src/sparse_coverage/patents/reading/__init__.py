"""Files in, patents out: sources, archives, limits, XML, and `read.read_patents`, which uses them all."""

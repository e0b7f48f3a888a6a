"""Files in, patents out: sources, archives, limits, XML, and `read.read_patents` over all of them."""

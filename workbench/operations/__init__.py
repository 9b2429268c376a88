"""Every act of an agent or a person, one typed function each; the command line, pages and tools are skins over it."""

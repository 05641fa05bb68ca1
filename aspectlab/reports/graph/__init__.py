"""The knowledge graph for people and programs: pictures, a page, GraphML and JSON-LD."""

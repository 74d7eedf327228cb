"""JSON schemas as they are sent to a model: shorter than pydantic writes them."""


def without_titles(schema: object) -> object:
    """Removes the titles that pydantic gives to every field: a fifth of the schema, which is in every model call."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # A property may be *called* title: then its value is a schema, not a text.
    return {key: without_titles(value) for key, value in schema.items() if key != "title" or isinstance(value, dict)}

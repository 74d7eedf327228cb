"""The GraphQL face: GitHub's published schema, executed by graphql-core over the one state."""

"""What checks of documents against the schemas in docs/ share."""
import copy
import json

import jsonschema  # Debian: python3-jsonschema; without it these checks fail, they are never skipped


def reject_constant(word):
    raise ValueError(f"{word} is no JSON")


def load(path):
    return json.loads(path.read_text(encoding="utf-8", errors="strict"), parse_constant=reject_constant)


def checker(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def invalid(check, documents):
    """What is wrong with the documents, which have names."""
    return [f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}"
            for name, document in documents.items() for error in check.iter_errors(document)]


def lets_pass(check, document, changes):
    """Those of the named changes after which the schema still accepts a document that it must not accept."""
    passed = []
    for name, change in changes.items():
        changed = copy.deepcopy(document)
        change(changed)
        if check.is_valid(changed):
            passed.append(f"the schema accepts a document with: {name}")
    return passed

/**
 * A matrix product as an ONNX file: scores [m, n] = a [m, d] times the transpose of b [n, d].
 * Made by `leakladder_dev/search_graph.py`; `tests/test_model.py` compares the two.
 */
export const SEARCH_GRAPH =
  'CAg6cgojCgFhCgFiEgZzY29yZXMiBEdlbW0qDQoGdHJhbnNCGAGgAQISAWdaFQoBYRIQCg4IARIKCgMSAW0KAxIBZFoVCgFiEhAKDggBEgoKAxIBbgoDEgFkYhoKBnNjb3JlcxIQCg4IARIKCgMSAW0KAxIBbkIECgAQEQ=='

import { METADATA, METADATA_KEY, METADATA_VALUE } from "./graph.ts";
import { readFields } from "./protobuf.ts";

/** What an .onnx file says of itself (its `metadata_props`), in file order. */
export function readMetadata(onnx: Uint8Array): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const { field, value } of readFields(onnx)) {
    if (field !== METADATA || !(value instanceof Uint8Array)) continue;
    const pair = new Map([...readFields(value)].map((inner) => [inner.field, text(inner.value)]));
    metadata[pair.get(METADATA_KEY) ?? ""] = pair.get(METADATA_VALUE) ?? "";
  }
  return metadata;
}

function text(value: unknown): string {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : "";
}

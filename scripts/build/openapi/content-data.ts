import { dataJsonShapes, holdsContent } from "../../../schema/api/platform/data-json.ts";
import type { ApiDocument } from "./describe.ts";

const [mark = ""] = Object.keys(holdsContent);

/** An object with any keys. `additionalProperties` would become a Java map, which breaks generated unions. */
const anyObject = { type: "object", patternProperties: { "^": {} } };

/**
 * The shapes by name, or any object: custom content types are free-form, and unknown keys are preserved.
 */
const shapes = [
  ...dataJsonShapes.map((shape) => ({ $ref: `#/components/schemas/${shape.meta()?.id}` })),
  anyObject,
];

/** Describes each content field by the shapes of the content types. */
export function describeContentData(document: ApiDocument): ApiDocument {
  return rewrite(document) as ApiDocument;
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite);
  if (typeof value !== "object" || value === null) return value;
  const { [mark]: holds, ...rest } = value as Record<string, unknown>;
  if (holds) return { anyOf: shapes, description: rest["description"], example: contentExample };
  return Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, rewrite(part)]));
}

const contentExample = { video_url: "https://video.example.edu/why-samples-lie", duration: 540 };

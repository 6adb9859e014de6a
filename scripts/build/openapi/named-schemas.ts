import type { OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import type { Group } from "../../../lib/http/endpoint.ts";

type Registry = OpenAPIHono["openAPIRegistry"];

/**
 * Makes every schema with a name a component as it is by itself, and answers the names as a reader comes upon them. The
 * generator would take a schema from the first place where it is used, where it may be null too, and a component that
 * may be null is an odd type in most languages.
 */
export function registerNamed(
  registry: Registry,
  groups: readonly Group[],
  others: readonly z.ZodType[],
): string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const walk = (schema: unknown): void => {
    if (!(schema instanceof z.ZodType) || seen.has(schema)) return;
    seen.add(schema);
    const { id } = schema.meta() ?? {};
    if (id) names.add(id);
    // What it is made of first, so that it refers to components that are there.
    for (const part of partsOf(schema)) walk(part);
    if (id) registerAs(registry, id, schema);
  };
  for (const { contract } of groups.flatMap(({ endpoints }) => endpoints))
    for (const part of [
      contract.answer.schema,
      contract.answer.accepted?.schema,
      contract.versioned,
      contract.body,
    ])
      walk(part);
  for (const schema of others) walk(schema);
  return [...names];
}

/** Registers a copy: the generator's package extends only the schemas that are made after it was loaded. */
export function registerAs(registry: Registry, id: string, schema: z.ZodType): void {
  const { id: _, ...about } = schema.meta() ?? {};
  registry.register(id, schema.meta(about));
}

/** The schemas that a schema is made of, whatever its kind. */
function partsOf(schema: z.ZodType): unknown[] {
  return Object.values(schema.def).flatMap((part: unknown) => {
    if (part instanceof z.ZodType) return [part];
    return typeof part === "object" && part !== null ? Object.values(part) : [];
  });
}

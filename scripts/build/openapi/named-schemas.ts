import type { OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import type { EndpointGroup } from "../../../lib/http/endpoint.ts";

type Registry = OpenAPIHono["openAPIRegistry"];

/**
 * Registers each named schema as a component, independent of its uses, and returns the names in reading
 * order. The generator would use the first occurrence, which may be nullable, and nullable components become
 * odd types in most languages.
 */
export function registerNamed(
  registry: Registry,
  groups: readonly EndpointGroup[],
  others: readonly z.ZodType[],
): string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const walk = (schema: unknown): void => {
    if (!(schema instanceof z.ZodType) || seen.has(schema)) return;
    seen.add(schema);
    const { id } = schema.meta() ?? {};
    if (id) names.add(id);
    // Parts first, so references find their components.
    for (const part of partsOf(schema)) walk(part);
    if (id) registerAs(registry, id, schema);
  };
  for (const { contract } of groups.flatMap(({ endpoints }) => endpoints))
    for (const part of [
      contract.answer.schema,
      contract.answer.accepted?.schema,
      contract.versioned,
      contract.conflictsWith,
      contract.body,
    ])
      walk(part);
  for (const schema of others) walk(schema);
  return [...names];
}

/** Registers a copy, because the generator only extends schemas created after it was loaded. */
export function registerAs(registry: Registry, id: string, schema: z.ZodType): void {
  const { id: _, ...about } = schema.meta() ?? {};
  registry.register(id, schema.meta(about));
}

function partsOf(schema: z.ZodType): unknown[] {
  return Object.values(schema.def).flatMap((part: unknown) => {
    if (part instanceof z.ZodType) return [part];
    return typeof part === "object" && part !== null ? Object.values(part) : [];
  });
}

import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { Contract, Group } from "../../lib/http/endpoint.ts";
import { documentPath } from "../../lib/http/paths.ts";
import { policy } from "../../lib/rbac/policy.ts";
import { errorSchemas, errorsOf, registerErrors } from "./errors.ts";
import { operationId } from "./operation-id.ts";

export type ApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

export type About = { title: string; version: string; description: string; prefix: string };

/** The OpenAPI 3.1 document of these groups, written from the same contracts that are enforced. */
export function describeApi(groups: readonly Group[], { prefix, ...info }: About): ApiDocument {
  const registry = new OpenAPIRegistry();
  for (const [name, description] of Object.entries(tokens))
    registry.registerComponent("securitySchemes", name, {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description,
    });
  registerErrors(registry);
  for (const group of groups)
    for (const { contract } of group.endpoints)
      registry.registerPath(describeOperation(group, contract, prefix));

  const definitions = [...errorSchemas, ...registry.definitions];
  const { webhooks: _, ...document } = new OpenApiGeneratorV31(definitions).generateDocument({
    openapi: "3.1.0",
    info,
    servers: [{ url: "./" }],
    tags: [...new Set(groups.map(({ tag }) => tag))].map((name) => ({ name })),
  });
  return document;
}

const tokens = {
  accessToken: "The `access_token` of a sign-in",
  refreshToken: "The `refresh_token` of a sign-in, for `/auth/refresh` alone",
};

const security: Record<Contract["access"]["kind"], Record<string, string[]>[]> = {
  anyone: [],
  "maybe signed in": [{}, { accessToken: [] }],
  "signed in": [{ accessToken: [] }],
  refreshing: [{ refreshToken: [] }],
};

function describeOperation(group: Group, contract: Contract, prefix: string): RouteConfig {
  const { method, summary, params, query, body, access } = contract;
  const description = [contract.description, leastRole(contract)].filter(Boolean).join("\n\n");
  return {
    method,
    path: documentPath(prefix, group, contract),
    operationId: operationId(group, contract),
    tags: [group.tag],
    summary,
    ...(description && { description }),
    security: security[access.kind],
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { "application/json": { schema: body } } } }),
    },
    responses: { [contract.answer.status]: describeAnswer(contract), ...errorsOf(contract) },
  };
}

/** Where the role may be held anywhere it is known beforehand; elsewhere it depends on whose thing it is. */
function leastRole({ access }: Contract): string | undefined {
  return access.action && `Needs the role ${policy[access.action].least} or above.`;
}

function describeAnswer({ answer }: Contract): RouteConfig["responses"][string] {
  const { description, schema, also = {} } = answer;
  const texts = Object.entries(also).map(([type, example]) => [
    type,
    { schema: { type: "string" }, example },
  ]);
  const content = { ...(schema && { "application/json": { schema } }), ...Object.fromEntries(texts) };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

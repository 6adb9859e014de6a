import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import * as z from "zod";
import type { Contract, EndpointGroup } from "../../../lib/http/endpoint.ts";
import { openApiPath } from "../../../lib/http/paths.ts";
import { dataJsonShapes } from "../../../schema/api/platform/data-json.ts";
import { TutorEvent } from "../../../schema/api/tutor/chat.ts";
import { type CodesByStatus, readRefusals } from "../refusals/of-operations.ts";
import { describeContentData } from "./content-data.ts";
import { addDescriptions } from "./descriptions.ts";
import { errorsOf, registerErrors } from "./errors.ts";
import { addExamples } from "./examples.ts";
import { registerNamed } from "./named-schemas.ts";
import { separateNull } from "./nullable.ts";
import { describePermission } from "./permission.ts";
import { describeRefusals } from "./refusals.ts";
import { describeTag } from "./tags.ts";

export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

export type About = Pick<InfoObject, "title" | "version" | "description" | "contact" | "license"> & {
  /** Prefix of all paths except those at the root. */
  prefix: string;
};

type InfoObject = ApiDocument["info"];

/** The OpenAPI 3.1 document of these groups, generated from the enforced contracts. */
export async function describeApi(
  groups: readonly EndpointGroup[],
  { prefix, ...info }: About,
): Promise<ApiDocument> {
  const refusals = await readRefusals(groups);
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  for (const [name, description] of Object.entries(tokens))
    registry.registerComponent("securitySchemes", name, {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description,
    });
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "lk_<id>_<secret>",
    description:
      "An API key of a university (`POST /universities/{university_id}/api-keys`) with the scope of the operation",
  });
  registerErrors(registry);
  const names = registerNamed(registry, groups, [TutorEvent, ...dataJsonShapes]);
  for (const group of groups)
    for (const { contract } of group.endpoints)
      registry.registerPath(describeOperation(group, contract, prefix, refusals.get(contract.id) ?? {}));

  const { webhooks: _, ...document } = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info,
    servers: [{ url: "{address}", description: "The address of the deployment", variables: { address } }],
    tags: [...new Set(groups.map(({ tag }) => tag))].map(describeTag),
  });
  return addDescriptions(addExamples(describeContentData(separateNull(inOrder(document, names)))));
}

/** Orders the document's schemas by these names; other ones, of errors, come first. */
function inOrder(document: ApiDocument, names: readonly string[]): ApiDocument {
  const schemas = Object.entries(document.components?.schemas ?? {});
  schemas.sort(([one], [other]) => names.indexOf(one) - names.indexOf(other));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

const address = {
  default: "http://localhost:3000",
  description: "Address of the service; the default is for development",
};

const tokens = {
  accessToken: "The `access_token` of a sign-in",
  refreshToken: "The `refresh_token` of a sign-in, only for `/auth/refresh`",
};

const ifMatch = z.object({
  "If-Match": z
    .string()
    .optional()
    .meta({
      example: '"7"',
      description:
        "The `version` of the resource that was read, in double quotes, or several versions. If the current version " +
        "differs, nothing is written and the response is 412. If absent or `*`, the version is not checked",
    }),
});

type SecurityRequirement = Record<string, string[]>;

const security: Record<Contract["access"]["kind"], SecurityRequirement[]> = {
  anyone: [],
  "maybe signed in": [{}, { accessToken: [] }],
  "signed in": [{ accessToken: [] }],
  refreshing: [{ refreshToken: [] }],
};

const tokenUse: Record<Contract["access"]["kind"], string> = {
  anyone: "Needs no token.",
  "maybe signed in": "An access token is optional.",
  "signed in": "Needs an access token.",
  refreshing: "Needs a refresh token.",
};

const scopeUse = ({ scope }: Contract): string | undefined =>
  scope && `An API key needs the scope \`${scope}\`.`;

function describeOperation(
  group: EndpointGroup,
  contract: Contract,
  prefix: string,
  refusals: CodesByStatus,
): RouteConfig {
  const { method, summary, params, query, body, access } = contract;
  const description = [
    contract.description,
    tokenUse[access.kind],
    describePermission(contract),
    scopeUse(contract),
    describeRefusals(refusals),
  ]
    .filter(Boolean)
    .join("\n\n");
  return {
    method,
    path: openApiPath(prefix, group, contract),
    operationId: contract.id,
    tags: [group.tag],
    summary,
    description,
    ...(contract.scope && { "x-api-key-scope": contract.scope }),
    "x-error-codes": refusals,
    security: [...security[access.kind], ...(contract.scope ? [{ apiKey: [] }] : [])],
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(contract.versioned && { headers: ifMatch }),
      ...(body && {
        body: {
          required: true,
          ...describeExamples(contract),
          content: { "application/json": { schema: body, ...examplesOf(contract) } },
        },
      }),
    },
    responses: {
      ...describeAnswers(contract),
      ...(contract.changesSeldom && {
        304: { description: "Not modified since the ETag in `If-None-Match`" },
      }),
      ...errorsOf(contract),
    },
  };
}

function describeAnswers(contract: Contract): RouteConfig["responses"] {
  const { status, found, accepted, redirects } = contract.answer;
  const answer = describeAnswer(contract.answer);
  return {
    ...(found && { 200: { ...answer, description: found } }),
    [status]: answer,
    ...(accepted && { 202: describeAnswer(accepted) }),
    ...(redirects && { 302: { description: redirects } }),
  };
}

type Described = Pick<Contract["answer"], "description" | "schema" | "also">;

function describeAnswer({ description, schema, also = {} }: Described): RouteConfig["responses"][string] {
  const texts = Object.entries(also).map(([type, example]) => [type, { schema: textOf(type), example }]);
  const content = { ...(schema && { "application/json": { schema } }), ...Object.fromEntries(texts) };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

const bytes = ["application/pdf", "application/zip", "application/octet-stream"];

/** Text of this media type, or bytes. A stream is text with events, each with a JSON object as `data`. */
const textOf = (type: string) => ({
  type: "string" as const,
  ...(bytes.includes(type) && { format: "binary" }),
  ...(type === "text/event-stream" && {
    contentMediaType: type,
    contentSchema: { $ref: `#/components/schemas/${TutorEvent.meta()?.id}` },
  }),
});

/** Explains several examples, because schemas cannot name them. */
const describeExamples = ({ bodyExamples: examples }: Contract) =>
  examples && {
    description: Object.values(examples)
      .map(({ summary, value }) => `- ${summary}: \`${JSON.stringify(value)}\``)
      .join("\n"),
  };

const examplesOf = ({ bodyExamples: examples }: Contract) => ({ ...(examples && { examples }) });

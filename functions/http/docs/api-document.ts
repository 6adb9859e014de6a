import type { Config } from "../../../lib/config.ts";
import { readBundledText } from "../../../lib/http/bundled-file.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { anyone } from "../../../lib/identity/auth/guards.ts";

type ApiDocument = { info: object; servers: { url: string }[]; paths: Record<string, unknown> };

/** The path prefix in the committed document. */
const writtenPrefix = "/api/v1";

export const getApiDocument = endpoint(
  {
    id: "getApiDocument",
    method: "get",
    path: "/openapi.json",
    changesSeldom: true,
    summary: "Read the OpenAPI document",
    ...anyone,
    answer: { status: 200, description: "The document", schema: undefined },
  },
  async ({ deps, http }) => {
    const document: ApiDocument = JSON.parse(
      await readBundledText(new URL("../../../docs/reference/openapi.json", import.meta.url)),
    );
    return http.json(withDeploymentNameAndUrl(document, deps.config, publicUrl(http, deps.config)), 200, {
      "Cache-Control": "public, max-age=300",
    });
  },
);

/** The committed document with this deployment's name, version, URL and prefix. */
export function withDeploymentNameAndUrl(document: ApiDocument, config: Config, url: string): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path.startsWith(writtenPrefix) ? config.API_V1_PREFIX + path.slice(writtenPrefix.length) : path,
    operations,
  ]);
  return {
    ...document,
    info: { ...document.info, title: config.APP_NAME, version: config.APP_VERSION },
    servers: [{ url }],
    paths: Object.fromEntries(paths),
  };
}

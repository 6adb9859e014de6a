import { allEndpointGroups } from "../../../functions/groups.ts";
import { productName } from "../../../lib/platform/product.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { describeApi } from "./describe.ts";

export const documentFile = new URL("../../../docs/reference/openapi.json", import.meta.url);

/** The committed API document. The function that serves it inserts the deployment's names. */
export async function writeDocument(): Promise<string> {
  const document = await describeApi(
    allEndpointGroups.filter(({ tag }) => tag !== "Documentation"),
    {
      title: productName,
      version: packageJson.version,
      description,
      contact: { name: "The developers of the learning platform" },
      license: { name: "MIT", identifier: "MIT" },
      prefix: "/api/v1",
    },
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}

const description = `Courses, enrollments, progress and an AI tutor for universities.

Sign in with \`POST /auth/login\` and send the \`access_token\` as a Bearer token. After a sign-in by a university's
identity provider, the token is limited to that university. Paths work with and without a trailing slash. Enumeration
values are accepted in any letter case. Every response has an \`X-Request-ID\`.

Most lists take \`skip\` and \`limit\`. If there are more entries, a \`Link\` header with \`rel="next"\` has the address of
the next page.

Every error has an \`X-Error-Code\`. The code identifies the rule and stays the same when the text in \`detail\` changes.
Each operation's description lists its codes, and \`x-error-codes\` has them for programs. Codes that every operation can
return are listed with the response of their status.`;

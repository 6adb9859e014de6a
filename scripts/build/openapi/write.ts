import { groups } from "../../../functions/groups.ts";
import { productName } from "../../../lib/platform/product.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { describeApi } from "./describe.ts";

export const documentFile = new URL("../../../docs/reference/openapi.json", import.meta.url);

/** The committed API document. The function that serves it inserts the deployment's names. */
export async function writeDocument(): Promise<string> {
  const document = await describeApi(
    groups.filter(({ tag }) => tag !== "Documentation"),
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

Sign in with \`POST /auth/login\` and send the \`access_token\` as a Bearer token. One of a sign-in by a university's
identity provider reaches what is of that university alone. Every path answers with and without its trailing slash. Enumerations are accepted in any letter case. Every answer carries \`X-Request-ID\`.

Every refusal carries \`X-Error-Code\`, which stands for the rule that refuses and stays the same when the words of
\`detail\` change. Each operation's description lists its own codes, and \`x-error-codes\` has them for programs. The codes
that any operation may answer stand at the answers of their status.`;

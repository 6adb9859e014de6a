import path from "node:path";
import type { ClientWorkspace } from "./client-check.ts";
import { runCommandRejectingWarnings } from "./toolchain.ts";

/** Java runs the generator, Maven fetches it. */
export const openApiGeneratorTools = ["java", "mvn"] as const;

const version = "7.25.0";
const without = "apiDocs=false,modelDocs=false,apiTests=false,modelTests=false";

/** Generates a client with OpenAPI Generator; Maven caches the generator between runs. */
export async function generateClient(
  { folder, document }: ClientWorkspace,
  language: string,
  ...options: string[]
): Promise<void> {
  const artifact = `org.openapitools:openapi-generator-cli:${version}:jar`;
  await runCommandRejectingWarnings(
    folder,
    "mvn",
    ...["-q", "-B", "dependency:copy"],
    ...[`-Dartifact=${artifact}`, "-DoutputDirectory=generator"],
  );
  const jar = path.join(folder, "generator", `openapi-generator-cli-${version}.jar`);
  await runCommandRejectingWarnings(
    folder,
    "java",
    ...["-jar", jar, "generate", "-g", language, "-i", document, "-o", folder],
    ...["--global-property", without, ...options],
  );
}

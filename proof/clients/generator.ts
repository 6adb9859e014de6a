import path from "node:path";
import type { Workspace } from "./client-kind.ts";
import { run } from "./toolchain.ts";

/** Java runs the generator, Maven fetches it. */
export const generatorTools = ["java", "mvn"] as const;

const version = "7.25.0";
const without = "apiDocs=false,modelDocs=false,apiTests=false,modelTests=false";

/** Generates a client with OpenAPI Generator; Maven caches the generator between runs. */
export async function generate(
  { folder, document }: Workspace,
  language: string,
  ...options: string[]
): Promise<void> {
  const artifact = `org.openapitools:openapi-generator-cli:${version}:jar`;
  await run(
    folder,
    "mvn",
    ...["-q", "-B", "dependency:copy"],
    ...[`-Dartifact=${artifact}`, "-DoutputDirectory=generator"],
  );
  const jar = path.join(folder, "generator", `openapi-generator-cli-${version}.jar`);
  await run(
    folder,
    "java",
    ...["-jar", jar, "generate", "-g", language, "-i", document, "-o", folder],
    ...["--global-property", without, ...options],
  );
}

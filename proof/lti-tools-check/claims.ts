import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { JWTPayload } from "jose";
import { installNpmPackages, ToolFailure } from "../clients/toolchain.ts";
import type { AnyJson } from "../lti-check/api.ts";

const messageType = "https://purl.imsglobal.org/spec/lti/claim/message_type";

/** Returns how many launches have a schema. Throws if one violates it. */
export type ClaimsChecker = (launches: readonly JWTPayload[]) => number;

const readJson = async (file: string): Promise<AnyJson> => JSON.parse(await readFile(file, "utf8"));

/** Checks claims with the JSON schemas of 1EdTech in a folder, by the validator ajv from npm. */
export async function createClaimsChecker(
  folder: string,
  schemaFolder: string,
  names: readonly string[],
): Promise<ClaimsChecker> {
  await installNpmPackages(folder, "ajv@8.17.1");
  const load = createRequire(path.join(folder, "package.json"));
  const { Ajv }: AnyJson = load("ajv");
  const validator = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  validator.addMetaSchema(load("ajv/dist/refs/json-schema-draft-06.json"));
  for (const name of names) validator.addSchema(await readJson(path.join(schemaFolder, name)), name);
  return (launches) => {
    const checked = launches.filter((claims) => names.includes(`${claims[messageType]}.json`));
    for (const claims of checked)
      if (!validator.validate(`${claims[messageType]}.json`, claims))
        throw new ToolFailure(`claims: ${validator.errorsText()} in ${JSON.stringify(claims)}`);
    return checked.length;
  };
}

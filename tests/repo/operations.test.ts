import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { allEndpointGroups } from "../../functions/groups.ts";
import type { Endpoint } from "../../lib/http/endpoint.ts";

const root = path.resolve(import.meta.dirname, "../..");

const served = allEndpointGroups.flatMap(({ endpoints }) => endpoints);

/** The export of each operation as `file: name`, in all modules except Lambda handlers. */
async function exportsOfOperations(): Promise<Map<Endpoint, { file: string; name: string }>> {
  const files = globSync("functions/**/*.ts", { cwd: root }).filter((file) => !file.endsWith("/handler.ts"));
  const modules = await Promise.all(
    files.map(async (file) => ({
      file,
      exports: Object.entries<unknown>(await import(path.join(root, file))),
    })),
  );
  return new Map(
    modules.flatMap(({ file, exports }) =>
      exports.filter(isOperation).map(([name, operation]) => [operation, { file, name }]),
    ),
  );
}

const isOperation = (entry: [string, unknown]): entry is [string, Endpoint] => {
  const [, value] = entry;
  return typeof value === "object" && value !== null && "contract" in value && "handle" in value;
};

describe("an operation", () => {
  it("has a unique id, which is a valid name of a client's function", () => {
    const ids = served.map(({ contract }) => contract.id);
    expect(ids.filter((id) => !/^[a-z][a-zA-Z]+$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it("is exported under its id", async () => {
    const exported = await exportsOfOperations();
    const misnamed = [...exported].filter(([{ contract }, { name }]) => contract.id !== name);
    expect(misnamed.map(([{ contract }, { file, name }]) => `${file}: ${name} is ${contract.id}`)).toEqual(
      [],
    );
    const hidden = served.filter((operation) => !exported.has(operation));
    expect(hidden.map(({ contract }) => contract.id)).toEqual([]);
  });

  it("is served when it is exported", async () => {
    const exported = await exportsOfOperations();
    const unserved = [...exported].filter(([operation]) => !served.includes(operation));
    expect(unserved.map(([, { file, name }]) => `${file}: ${name}`)).toEqual([]);
  });

  it("declares the cookies that it sets, so no page of another origin sends its body", () => {
    const setting = served.filter(({ handle }) =>
      /\b(issueTokenPairAndCookies|signIn|clearAuthCookies|setAuthCookies)/.test(String(handle)),
    );
    expect(setting.length).toBeGreaterThan(9);
    expect(
      setting.filter(({ contract }) => !contract.setsCookies).map(({ contract }) => contract.id),
    ).toEqual([]);
  });

  it("sets headers on Hono's context only as cookies, in one file that notes them", () => {
    const setting = globSync("{functions,lib,server}/**/*.ts", { cwd: root }).filter((file) =>
      /from "hono\/cookie"|\b(?:c|http)\.header\(/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(setting).toEqual(["lib/identity/auth/cookies.ts"]);
  });
});

import { groups } from "../../functions/groups.ts";
import { loadConfig } from "../../lib/config.ts";
import { cloudParts } from "../../lib/credentials/cloud-parts.ts";
import { connectDatabase } from "../../lib/db/client.ts";
import { wire } from "../../lib/deps.ts";
import { documentPath } from "../../lib/http/paths.ts";
import { shell } from "../../lib/http/shell.ts";
import { roles } from "../../schema/enums.ts";
import type { Size } from "../scale/size.ts";
import type { Bases } from "../scale/steps.ts";

/**
 * A loaded database with the whole app on it: what can be read of it, and how long a read takes in milliseconds;
 * of a list that is as long as what it lists, how long it takes for each item.
 */
export type LoadedPlatform = {
  names: readonly string[];
  read(name: string): Promise<number>;
  close(): Promise<void>;
};

/** Every read of the API that finds something, as nobody, a learner, an instructor and two administrators. */
export async function openLoadedPlatform(url: string, size: Size, base: Bases): Promise<LoadedPlatform> {
  const config = loadConfig({
    ENVIRONMENT: "development",
    DATABASE_URL: url,
    SECRET_KEY: "the key of the bench, which is long enough",
    LLM_PROVIDER: "direct_api",
    DIRECT_API_KEY: "none",
    ENABLE_ACCESS_LOG: "false",
    ENABLE_METRICS: "false",
  });
  const deps = wire(config, { database: connectDatabase({ url }), bring: cloudParts });
  const app = shell(deps, groups);
  const reads = new Map<string, () => Promise<Response>>();
  for (const [reader, id] of Object.entries(readersOf(size, base))) {
    const token = id && (await deps.tokens.issue(id)).access_token;
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    for (const [name, path] of pathsOf(size, base)) {
      const send = async () => app.request(path, { headers });
      const isMeasured = (await send()).status === 200;
      if (isMeasured) reads.set(`${name} as ${reader}`, send);
    }
  }
  return {
    names: [...reads.keys()],
    async read(name) {
      const began = performance.now();
      const answer = (await (await reads.get(name)?.())?.text()) ?? "";
      const elapsed = performance.now() - began;
      return name.startsWith(wholeList) ? elapsed / JSON.parse(answer).length : elapsed;
    },
    close: () => deps.close(),
  };
}

const wholeList = "each module of /modules/courses/{large}/modules";

/** Of the first university; its staff are the first people, a learner comes after them. */
function readersOf({ universities }: Size, base: Bases): Record<string, number | undefined> {
  const holder = (role: (typeof roles)[number]) => base.users + (roles.indexOf(role) - 1) * universities + 1;
  return {
    nobody: undefined,
    "a learner": learnerOf(universities, base),
    "an instructor": holder("instructor"),
    "a university_admin": holder("university_admin"),
    "a platform_admin": holder("platform_admin"),
  };
}

const learnerOf = (universities: number, base: Bases): number => base.users + roles.length * universities + 1;

/** The reads by their names, each with a path on that database: about a usual course, and about the first, large one. */
function pathsOf({ universities, courses }: Size, base: Bases): Map<string, string> {
  const usual = 2 * universities + 1;
  const values: Record<string, number> = {
    university_id: base.universities + 1,
    country_id: 1,
    subject_id: base.subjects + 1,
    content_type_id: 1,
    course_id: base.courses + usual,
    offering_id: base.course_offerings + usual,
    module_id: base.modules + usual,
    content_id: base.content_items + usual,
    content_item_id: base.content_items + usual,
    user_id: learnerOf(universities, base),
  };
  const paths = new Map<string, string>();
  for (const group of groups.filter(({ atRoot }) => !atRoot))
    for (const { contract } of group.endpoints.filter(({ contract }) => contract.method === "get")) {
      const path = documentPath("", group, contract);
      const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
      if (!filled.includes("{")) paths.set(path, `/api/v1${filled}`);
    }
  const large = { course: base.courses + 1, module: base.modules + 1, lesson: base.modules + courses + 101 };
  paths.set("/courses/{large}", `/api/v1/courses/${large.course}`);
  paths.set(wholeList, `/api/v1/modules/courses/${large.course}/modules`);
  paths.set("/modules/courses/{large}/modules/root", `/api/v1/modules/courses/${large.course}/modules/root`);
  paths.set("/modules/{of the large course}", `/api/v1/modules/${large.module}`);
  paths.set("/modules/{deep in the large course}", `/api/v1/modules/${large.lesson}`);
  paths.set("/courses/?university_id=", `/api/v1/courses/?university_id=${values["university_id"]}`);
  return paths;
}

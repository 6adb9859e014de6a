import { fileURLToPath } from "node:url";
import packageJson from "../../../package.json" with { type: "json" };
import { type Retired, retired } from "../../../schema/functions/retired.ts";

/** What a version brings a database to: its migrations, and the functions, views and triggers that it applies. */
export type Schema = {
  /** The folder of the migrations. */
  migrations: string;
  /** The folder of the texts of functions; none is applied without it. */
  functions?: string;
  retired: readonly Retired[];
  /** Of package.json. */
  version: string;
};

const folder = (name: string) => fileURLToPath(new URL(`../../../schema/${name}`, import.meta.url));

/** The schema of this version. */
export const ownSchema: Schema = {
  migrations: folder("migrations"),
  functions: folder("functions"),
  retired,
  version: packageJson.version,
};

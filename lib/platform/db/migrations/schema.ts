import { fileURLToPath } from "node:url";
import packageJson from "../../../../package.json" with { type: "json" };
import { type Retired, retired } from "../../../../schema/functions/retired.ts";

export type SchemaSource = {
  migrations: string;
  /** Folder of the function texts, if any are to be applied. */
  functions?: string;
  retired: readonly Retired[];
  version: string;
};

const folder = (name: string) => fileURLToPath(new URL(`../../../../schema/${name}`, import.meta.url));

export const ownSchema: SchemaSource = {
  migrations: folder("migrations"),
  functions: folder("functions"),
  retired,
  version: packageJson.version,
};

import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./schema/db/*.ts",
  out: "./schema/migrations",
});

import { defineConfig } from "vitest/config";
import { projectsOf, settings, ssr } from "./vitest.config.ts";

/** `npm run test:all`: every test file, the generated suites in full, and what depends on the driver through both. */
export default defineConfig({ ssr, test: { ...settings, projects: projectsOf({ exhaustive: true }) } });

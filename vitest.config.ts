import { defineConfig } from "vitest/config";

/** The API is tested through both drivers, since production may use either; everything else runs once. */
export default defineConfig({
  test: {
    globalSetup: "tests/support/global-setup.ts",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["tests/**/*.test.ts"],
          exclude: ["tests/api/**"],
          provide: { driver: "pg" },
        },
      },
      { extends: true, test: { name: "pg", include: ["tests/api/**/*.test.ts"], provide: { driver: "pg" } } },
      {
        extends: true,
        test: { name: "neon", include: ["tests/api/**/*.test.ts"], provide: { driver: "neon" } },
      },
    ],
  },
});

import { existsSync } from "node:fs";

/**
 * CHROMIUM, or a browser from the system's packages; undefined if there is none. The headless shell comes
 * first: it takes a third less CPU.
 */
export const systemBrowser = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));

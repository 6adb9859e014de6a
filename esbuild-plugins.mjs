import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";

/** Zod carries its messages in some forty languages, of which the service speaks one. */
const englishOnlyZod = {
  name: "english-only-zod",
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
      loader: "js",
    }));
  },
};

/** What writes PDF can read fonts of WOFF2, with a dictionary that is half of it; ours are of other kinds. */
const fontsWithoutWoff2 = {
  name: "fonts-without-woff2",
  setup(build) {
    build.onLoad({ filter: /[\\/]brotli[\\/]decompress\.js$/ }, () => ({
      contents: 'module.exports = () => { throw new Error("WOFF2 is not part of the package"); };',
      loader: "js",
    }));
  },
};

/**
 * Keeps each function's source map, and the list of what went into it, beside the zips instead of in them:
 * Node reads a map while it loads, and the larger a zip the later a function starts.
 */
const mapsBesideTheZips = {
  name: "maps-beside-the-zips",
  setup(build) {
    const options = build.initialOptions;
    Object.assign(options, { sourcemap: "external", metafile: true });
    build.onEnd(async ({ metafile }) => {
      if (!metafile) return;
      const place = path.resolve(
        options.outdir,
        "../../../.serverless/bundles",
        path.basename(options.outdir),
      );
      await mkdir(place, { recursive: true });
      await rename(path.join(options.outdir, "handler.mjs.map"), path.join(place, "handler.mjs.map"));
      await writeFile(path.join(place, "metafile.json"), JSON.stringify(metafile));
    });
  },
};

/** Puts the licences of what is in a bundle into its zip. By its name the packer knows whose file it is. */
const licensesInTheZips = {
  name: "licenses-in-the-zips",
  setup(build) {
    build.onEnd(async ({ metafile }) => {
      if (!metafile) return;
      const { licenseOf, noticeOf } = await import("./scripts/licenses/packages.ts");
      const folders = Object.keys(metafile.inputs).flatMap(
        (file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
      );
      const packages = await Promise.all(
        [...new Set(folders)].map((folder) => licenseOf(path.resolve(folder))),
      );
      const notice = noticeOf(packages.filter((one) => one !== undefined));
      await writeFile(path.join(build.initialOptions.outdir, "handler.licenses.txt"), notice);
    });
  },
};

export default [englishOnlyZod, fontsWithoutWoff2, mapsBesideTheZips, licensesInTheZips];

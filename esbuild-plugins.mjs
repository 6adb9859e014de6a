import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

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

/** Leaves out the dictionary for WOFF2 fonts, which is half of the PDF writer. Our fonts have other formats. */
const fontsWithoutWoff2 = {
  name: "fonts-without-woff2",
  setup(build) {
    build.onLoad({ filter: /[\\/]brotli[\\/]decompress\.js$/ }, () => ({
      contents: 'module.exports = () => { throw new Error("WOFF2 is not part of the package"); };',
      loader: "js",
    }));
  },
};

/** The converter of formulas parses XML alone, which has five names of characters instead of HTML's 2,000. */
const formulasWithoutHtmlEntities = {
  name: "formulas-without-html-entities",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]mathml-to-latex[\\/].*@xmldom[\\/]xmldom[\\/]lib[\\/]entities\.js$/ },
      () => ({
        contents: `exports.XML_ENTITIES = Object.freeze({ amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' });
exports.HTML_ENTITIES = exports.entityMap = exports.XML_ENTITIES;`,
        loader: "js",
      }),
    );
  },
};

/** Leaves out sources of AWS credentials that no function has: its role's keys are in its environment. */
const credentialsOfTheRole = {
  name: "credentials-of-the-role",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]@aws-sdk[\\/]credential-provider-(http|ini|login|process|sso|web-identity)[\\/]/ },
      () => ({ contents: 'throw new Error("AWS credentials must be in the environment");', loader: "js" }),
    );
  },
};

/** Contains only the passwords that the service compares, sorted: they compress better, and other lists are left out. */
const commonPasswordsOnly = {
  name: "common-passwords-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]@zxcvbn-ts[\\/]language-common[\\/]dist[\\/]index\.mjs$/ }, async () => {
      const { commonPasswords } = await import("./lib/identity/auth/common-passwords.ts");
      const words = JSON.stringify([...commonPasswords].sort().join(" "));
      return {
        contents: `export const dictionary = { "passwords-common": ${words}.split(" ") };`,
        loader: "js",
      };
    });
  },
};

/**
 * Schemas and tables are made by calls, which esbuild keeps although nobody uses what they make: it cannot know that they
 * do nothing else. These files declare and do nothing else, so what nobody uses of them is left out.
 */
const declarationsInUse = {
  name: "declarations-in-use",
  setup(build) {
    const { target } = build.initialOptions;
    build.onLoad(
      { filter: /[\\/]schema[\\/](api|db)[\\/][^\\/]+[\\/][^\\/]+\.ts$/ },
      async ({ path: file }) => {
        const source = await readFile(file, "utf8");
        const options = { loader: "ts", target, sourcemap: "inline", sourcefile: file };
        // Most functions have most of these files: each is read for the first, and again when it has changed.
        if (declared.get(file)?.source !== source)
          declared.set(file, { source, transformed: build.esbuild.transform(source, options) });
        const { code } = await declared.get(file).transformed;
        return { contents: code.split(beforeStatement).map(asDeclaration).join("\n"), loader: "js" };
      },
    );
  },
};

const declared = new Map();

/** As esbuild prints it, a statement of the top level begins its line, and no other line begins with a letter. */
const beforeStatement = /\n(?=[a-z/])/;

const asDeclaration = (statement) =>
  statement.replace(/^((?:export )?const \w+ = )([\s\S]*);(\s*)$/, "$1/* @__PURE__ */ (() => ($2))();$3");

/**
 * A function with several files of operations reads at its start only where they are, and a file with the first request for
 * one of its operations: most of what the files declare and import is for them alone. A single file is read at once, since
 * every request needs it.
 */
const operationsOnDemand = {
  name: "operations-on-demand",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]functions[\\/][^\\/]+[\\/][^\\/]+[\\/]app\.ts$/ },
      async ({ path: file }) => {
        const source = await readFile(file, "utf8");
        const imports = [...source.matchAll(importOfOperations)];
        if (imports.length < 2) return undefined;
        const declared = await Promise.all(
          imports.map(async ([, names, from]) => {
            const endpoints = await import(pathToFileURL(path.resolve(path.dirname(file), from)).href);
            return names.match(/\w+/g).map((name) => asOnDemand(name, from, endpoints[name].contract));
          }),
        );
        const others = source.replaceAll(importOfOperations, "");
        return { contents: [importOfOnDemand, ...declared.flat(), others].join("\n"), loader: "ts" };
      },
    );
  },
};

/** A group's own files stand beside its table of contents. */
const importOfOperations = /^import \{([^}]+)\} from "(\.\/[^"]+)";$/gm;

const importOfOnDemand = 'import { onDemand } from "../../../lib/http/on-demand.ts";';

const asOnDemand = (name, from, { method, path }) =>
  `const ${name} = onDemand(${JSON.stringify({ method, path })}, async () => (await import("${from}")).${name});`;

/**
 * Makes each file that a thread runs an entry point of its own beside the handler, so both share their modules. No import leads
 * to it: the code that starts the thread has its address, `new URL("./rows-reader.ts", import.meta.url)`.
 */
const readersBesideTheHandler = {
  name: "readers-beside-the-handler",
  async setup(build) {
    const options = build.initialOptions;
    const [handler] = options.entryPoints;
    const readers = await readersReachedFrom(build, handler);
    options.entryPoints = [
      { in: handler, out: "handler" },
      ...readers.map((file) => ({ in: file, out: `handler.${path.basename(file, ".ts")}` })),
    ];
    build.onLoad({ filter: /[\\/]lib[\\/].*\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, "utf8");
      const contents = source.replaceAll(addressOfReader, 'new URL("./handler.$1.mjs", import.meta.url)');
      return contents === source ? undefined : { contents, loader: "ts" };
    });
  },
};

/** The files of threads whose addresses are in the handler's modules, found by bundling without writing. */
async function readersReachedFrom({ esbuild, initialOptions: { format, platform, target } }, handler) {
  const { metafile } = await esbuild.build({
    ...{ format, platform, target, entryPoints: [handler] },
    ...{ bundle: true, packages: "external", write: false, outdir: ".", metafile: true },
  });
  const modules = Object.keys(metafile.inputs).filter((file) => file.includes("lib/"));
  const found = await Promise.all(
    modules.map(async (file) =>
      [...(await readFile(file, "utf8")).matchAll(addressOfReader)].map(([, name]) =>
        path.resolve(path.dirname(file), `${name}.ts`),
      ),
    ),
  );
  return found.flat().sort();
}

const addressOfReader = /new URL\("\.\/([\w-]+-reader)\.ts", import\.meta\.url\)/g;

/** A bundle knows the hash of the database's functions, and has none of the files that it is computed from. */
const ownFunctionsAsValue = {
  name: "own-functions-as-value",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]lib[\\/]platform[\\/]db[\\/]migrations[\\/]functions-hash\.ts$/ },
      async ({ path: file }) => {
        const { ownFunctions } = await import(pathToFileURL(file).href);
        return { contents: `export const ownFunctions = ${JSON.stringify(ownFunctions)};`, loader: "ts" };
      },
    );
  },
};

/**
 * Keeps each function's source maps, and the list of what went into it, beside the zips instead of in them:
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
        "../../../../.serverless/bundles",
        path.basename(options.outdir),
      );
      await mkdir(place, { recursive: true });
      const maps = Object.keys(metafile.outputs).filter((file) => file.endsWith(".map"));
      await Promise.all(maps.map((map) => rename(path.resolve(map), path.join(place, path.basename(map)))));
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
      const { licenseOf, noticeOf } = await import("./scripts/build/licenses/packages.ts");
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

export default [
  englishOnlyZod,
  fontsWithoutWoff2,
  formulasWithoutHtmlEntities,
  credentialsOfTheRole,
  commonPasswordsOnly,
  declarationsInUse,
  operationsOnDemand,
  readersBesideTheHandler,
  ownFunctionsAsValue,
  mapsBesideTheZips,
  licensesInTheZips,
];

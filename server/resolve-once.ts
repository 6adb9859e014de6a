import { type ResolveFnOutput, registerHooks } from "node:module";

/*
 * With quick-start.mjs: looks packages up once. For each import of a package, and each import inside one, Node reads
 * and parses the package's whole package.json, and drizzle-orm's has 179 KB: half of what a process took to start.
 */
const packages = new Map<string, ResolveFnOutput>();
/** What the .js files of a folder are, `module` or `commonjs`: the same for all of them. */
const formats = new Map<string, string>();

const isOfPackage = (specifier: string): boolean => /^(@|[a-z][^:]*$)/.test(specifier);

const folderOf = (url: string): string => url.slice(0, url.lastIndexOf("/"));

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    if (parentURL?.includes("/node_modules/")) {
      if (!/^\.\.?\/.*\.js$/.test(specifier)) return nextResolve(specifier, context);
      const { href } = new URL(specifier, parentURL);
      const format = formats.get(folderOf(href));
      if (format === "module") return { url: href, format, shortCircuit: true };
      const resolved = nextResolve(specifier, context);
      if (resolved.format) formats.set(folderOf(resolved.url), resolved.format);
      return resolved;
    }
    if (!isOfPackage(specifier)) return nextResolve(specifier, context);
    const known = packages.get(specifier);
    if (known) return { ...known, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    packages.set(specifier, resolved);
    return resolved;
  },
});

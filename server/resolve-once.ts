import { type ResolveFnOutput, registerHooks } from "node:module";

/*
 * Used with quick-start.mjs: resolves each package once. Node otherwise parses the whole package.json for
 * every import, and that of drizzle-orm has 179 KB. This took half of the start-up time.
 */
const packages = new Map<string, ResolveFnOutput>();
/** The module format of a directory's .js files. */
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

import { type ResolveFnOutput, registerHooks } from "node:module";

/*
 * For `node --import`: looks a package up once for all modules of the service. Node reads and parses the package's
 * whole package.json for each import of it, and drizzle-orm's has 179 KB: a third of what a process takes to start.
 */
const found = new Map<string, ResolveFnOutput>();

const isOfPackage = (specifier: string): boolean => /^(@|[a-z][^:]*$)/.test(specifier);

registerHooks({
  resolve(specifier, context, nextResolve) {
    // A package's own imports may mean a version of their own.
    if (!isOfPackage(specifier) || context.parentURL?.includes("/node_modules/"))
      return nextResolve(specifier, context);
    const known = found.get(specifier);
    if (known) return { ...known, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    found.set(specifier, resolved);
    return resolved;
  },
});

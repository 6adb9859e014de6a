// npm runs scripts on the Node 24 that `npm ci` installs. There is none for macOS, where one's own must do.
if (Number.parseInt(process.versions.node, 10) < 24) {
  const byNpm = process.env.npm_lifecycle_event
    ? ""
    : 'run "npm run dev", which takes what "npm ci" installs, or ';
  console.error(
    `This needs Node 24 and runs on ${process.version}: ${byNpm}install it, for instance with "nvm install".`,
  );
  process.exit(1);
}

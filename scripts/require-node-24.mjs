// npm runs scripts on the Node 24 that `npm ci` installs. macOS has no such package and needs its own.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(
    `This command requires Node 24, but runs on ${process.version}. Install it, for instance with "nvm install".`,
  );
  process.exit(1);
}

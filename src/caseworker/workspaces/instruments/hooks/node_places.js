// Writes the hottest places of all `.cpuprofile` files in a folder: own seconds, total (unknown), hits, place, name.
const fs = require("fs");
const path = require("path");
const folder = process.argv[2];
const places = new Map();
for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))) {
  const profile = JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"));
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  profile.samples.forEach((id, index) => {
    const frame = nodes.get(id);
    const key = `${frame.url || "~"}:${frame.lineNumber + 1}\t${frame.functionName || "(anonymous)"}`;
    const known = places.get(key) || { own: 0, hits: 0 };
    places.set(key, { own: known.own + profile.timeDeltas[index] / 1e6, hits: known.hits + 1 });
  });
}
const rows = [...places].sort((one, other) => other[1].own - one[1].own).slice(0, 60);
for (const [key, { own, hits }] of rows) console.log(`${own.toFixed(6)}\t${own.toFixed(6)}\t${hits}\t${key}`);

// The peer of `decks-check`: throneteki-deck-helper (npm), its validator made once and used again, 31 real decks.
// node throneteki.js FOLDER_WITH_NODE_MODULES FOLDER_OF_ITS_DATA -> decks a second, CPU time, best of five
const fs = require("fs"), path = require("path");
const [modules, data] = process.argv.slice(2);
const Validator = require(path.join(modules, "node_modules/throneteki-deck-helper/lib/DeckValidator"));
const json = (name) => JSON.parse(fs.readFileSync(path.join(data, name)));
const packs = fs.readdirSync(path.join(data, "packs")).map((name) => json(path.join("packs", name)));
const cards = {};
for (const pack of packs) for (const card of pack.cards) cards[card.code] = { ...card, packCode: pack.code, label: card.name };
const last = json("restricted-list.json").slice(-1)[0], joust = last.formats.find((one) => one.name === "joust");
const list = { name: last.name, restricted: joust.restricted, banned: [...(last.bannedCards || []), ...(joust.banned || [])], pods: joust.pods || [] };
const decks = json("standalone-decks.json").map((deck) => {
  const held = deck.cards.filter((one) => cards[one.code]).map((one) => ({ count: one.count, card: cards[one.code] }));
  return {
    format: "joust", faction: { value: deck.faction }, agenda: cards[deck.agenda], bannerCards: [], rookeryCards: [],
    plotCards: held.filter((one) => one.card.type === "plot"), drawCards: held.filter((one) => one.card.type !== "plot"),
  };
});
const validator = new Validator(packs, [list]);
const round = (times) => {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) validator.validateDeck(decks[i % decks.length]);
  const used = process.cpuUsage(start);
  return (times * 1e6) / (used.user + used.system);
};
round(4000);
console.log(Math.max(...[1, 2, 3, 4, 5].map(() => round(4000))));

// The peer of `decks-check`: throneteki-deck-helper (npm), its validator made once and used again, 31 real decks.
// node throneteki.js FOLDER_WITH_NODE_MODULES [FOLDER_OF_ITS_DATA] -> decks a second, CPU time, best of five
// Without its data: one pack and one deck of our own making, of the usual size (60 cards and 7 plots).
const fs = require("fs"), path = require("path");
const [modules, data] = process.argv.slice(2);
const Validator = require(path.join(modules, "node_modules/throneteki-deck-helper/lib/DeckValidator"));
const json = (name) => JSON.parse(fs.readFileSync(path.join(data, name)));
const shape = (deck, cards) => {
  const held = deck.cards.filter((one) => cards[one.code]).map((one) => ({ count: one.count, card: cards[one.code] }));
  return {
    format: "joust", faction: { value: deck.faction }, agenda: cards[deck.agenda], bannerCards: [], rookeryCards: [],
    plotCards: held.filter((one) => one.card.type === "plot"), drawCards: held.filter((one) => one.card.type !== "plot"),
  };
};
const collected = () => {
  const packs = fs.readdirSync(path.join(data, "packs")).map((name) => json(path.join("packs", name)));
  const last = json("restricted-list.json").slice(-1)[0], joust = last.formats.find((one) => one.name === "joust");
  const list = { name: last.name, restricted: joust.restricted, banned: [...(last.bannedCards || []), ...(joust.banned || [])], pods: joust.pods || [] };
  return { packs, list, decks: json("standalone-decks.json") };
};
const own = () => {
  const card = (at, type) => ({ code: String(1000 + at), name: `Card ${at}`, type, faction: "stark", deckLimit: 3, traits: [], loyal: false });
  const cards = [...Array(20).keys()].map((at) => card(at, "character")).concat([...Array(7).keys()].map((at) => card(50 + at, "plot")));
  const packs = [{ code: "Core", name: "Core", releaseDate: "2015-10-08", cards }];
  const list = { name: "own", restricted: ["1000"], banned: ["2000"], pods: [] };
  return { packs, list, decks: [{ faction: "stark", cards: cards.map((one) => ({ code: one.code, count: one.type === "plot" ? 1 : 3 })) }] };
};
const { packs, list, decks: said } = data ? collected() : own();
const cards = {};
for (const pack of packs) for (const card of pack.cards) cards[card.code] = { ...card, packCode: pack.code, label: card.name };
const decks = said.map((deck) => shape(deck, cards));
const validator = new Validator(packs, [list]);
const round = (times) => {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) validator.validateDeck(decks[i % decks.length]);
  const used = process.cpuUsage(start);
  return (times * 1e6) / (used.user + used.system);
};
round(4000);
console.log(Math.max(...[1, 2, 3, 4, 5].map(() => round(4000))));

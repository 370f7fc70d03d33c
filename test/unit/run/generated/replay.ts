import { parseArgs } from 'node:util';
import { draw } from './draw';
import { judge } from './invariants';
import { ownSeconds } from './own-time';
import { play } from './play';
import { fatal, isEnough, playSeed, told, type Played } from './summary';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { from: { type: 'string' }, to: { type: 'string' }, site: { type: 'string' } },
});

interface Line {
	at: number;
	siteId: number;
	text: string;
	end?: number;
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(3).padStart(9);

/** Lines in a row that say the same are one. */
function print(lines: Line[]): void {
	while (lines.length > 0) {
		const [{ at, text, end } = { at: 0, text: '' }] = lines;
		const next = lines.findIndex((line) => line.text !== text);
		const ids = lines.splice(0, next < 0 ? lines.length : next).map(({ siteId }) => siteId);
		const which = ids.length > 8 ? `${ids.slice(0, 6).join(' ')} … (${ids.length})` : ids.join(' ');
		const until = end === undefined ? '' : ` until ${seconds(end)}`;
		console.log(`${seconds(at)} ${text.replace('*', which)}${until}`);
	}
}

/** Plays one seed: the plan, each request, the end of each site, and what of it does not hold. */
async function replay(seed: number): Promise<void> {
	const plan = draw(seed);
	const outcome = await play(plan);
	const { runs, exchanges, tokensEnded, is, end } = outcome;
	const [from, to] = [1000 * Number(values.from ?? 0), 1000 * Number(values.to ?? Infinity)];
	const sent = exchanges.map(({ run, token, came, by, ...rest }): Line => {
		const what = rest.siteId === 0 ? 'login' : `* with ${token}`;
		return { ...rest, text: `run ${run} ${what}: ${came} (${by})` };
	});
	const ended = runs.flatMap(({ reads }, run) =>
		reads.map((read): Line => {
			const message = read.message.replace(`site ${read.siteId}`, 'site …');
			return { at: read.end, siteId: read.siteId, text: `run ${run} END *: ${read.is} ${message}` };
		}),
	);
	const isAsked = ({ at, siteId }: Line) =>
		at >= from && at <= to && (values.site === undefined || siteId === Number(values.site));
	console.log(JSON.stringify(plan, (_, value: unknown) => (value === Infinity ? '∞' : value), 1));
	print([...sent, ...ended].filter(isAsked).sort((a, b) => a.at - b.at));
	const logins = exchanges.filter(({ siteId }) => siteId === 0).length;
	const { findings, longest, ratio, mayBeGivenUp } = judge(plan, outcome);
	console.log(
		`${is} after ${seconds(end)} s; own time ${ownSeconds(plan).toFixed(1)}, at most ${longest.toFixed(1)}, ratio ${ratio.toFixed(1)};`,
		`${exchanges.length - logins} requests, ${logins} logins, ${tokensEnded} tokens ended${mayBeGivenUp ? '; may be given up' : ''}`,
	);
	for (const { name, details } of findings) console.log(`FALLS ${name}: ${details}`);
}

async function replayMany(first: number, count: number): Promise<void> {
	const played: Played[] = [];
	for (let seed = first; seed < first + count; seed++) played.push(await playSeed(seed));
	const worst = fatal(played);
	console.log(`Generated services from seed ${first} on: ${told(played)}`, worst);
	if (worst.length > 0 || !isEnough(played)) process.exitCode = 1;
}

const [seed = 1, count] = positionals.map(Number);
void (count ? replayMany(seed, count) : replay(seed));

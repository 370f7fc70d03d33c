import { at } from '../helpers/at';
import { count, megabytes } from '../helpers/numbers';
import { say } from '../n8n/cli';
import { findSecrets, secretsOf } from '../n8n/secrets';
import type { Soak } from './soak';
import { isVisitor } from './visitors';

/**
 * How much more memory the last third of n8n's longest life may take than the first one. Loose, because n8n lets its
 * memory grow for minutes before it frees a third of it.
 */
const MEMORY_BOUND = 1.5;

/** What must be so after a soak, whether it was, and what was seen of it. */
type Check = [what: string, passed: boolean, ...seen: string[]];

export async function checksOf(soak: Soak): Promise<Check[]> {
	const { changes, expiries, n8n, reader, service, weather } = soak;
	const { runs, items } = reader;
	const { kills } = soak.life;

	const faults = [...weather.met.values()].reduce((sum, times) => sum + times, 0);
	const executions = await n8n.executions(soak.workflows.reader);
	const ended = (...of: string[]) => executions.filter(({ status }) => of.includes(status)).length;
	const [succeeded, interrupted] = [ended('success'), ended('crashed', 'error', 'canceled')];

	const { made, invented, unreported: lost } = changes;
	const twice = made.filter(({ reports }) => Math.max(...reports) > 1);
	const visits = made
		.filter(({ siteId }) => isVisitor(siteId))
		.map(({ reports }) => at(reports, -1));
	const around = (list: typeof made) => list.filter(({ aroundKill }) => aroundKill).length;
	for (const { reports, text, madeAt } of [...lost, ...twice]) {
		say(
			`Reported ${reports.join(' and ')} times: ${text}, made at ${new Date(madeAt).toISOString()}`,
		);
	}
	const { first, last, samples } = soak.life.memoryTrend();
	const secrets = await findSecrets(n8n, secretsOf(service));

	return [
		[
			'The run met site faults of every kind, a kill, expired tokens and changes',
			weather.hasMetAllSiteKinds &&
				kills > 0 &&
				expiries > 0 &&
				lost.length < made.length &&
				items.sentence > 0,
			`${count(faults, 'fault')} of ${weather.met.size} kinds, ${count(kills, 'kill')}`,
		],
		[
			'Each input item came out as its site or as a sentence',
			reader.wrong.length === 0 && runs.answered > 0,
			`${count(runs.answered, 'run')}, ${count(items.site, 'site')}, ${count(items.sentence, 'sentence')}`,
			...reader.wrong.slice(0, 3),
		],
		[
			'Each run that was started is in the record of n8n, none as running',
			succeeded + interrupted === executions.length &&
				succeeded >= runs.answered &&
				executions.length <= runs.answered + runs.interrupted,
			`${succeeded} succeeded, ${interrupted} interrupted`,
			`${runs.interrupted} without a response at a kill`,
			`${runs.rejected} rejected by n8n while it started`,
		],
		[
			'Each change was reported exactly once by each of three triggers; only one around a kill may be lost or reported twice',
			lost.length === around(lost) && twice.length === around(twice),
			`${made.length - lost.length - twice.length} of ${made.length} once, one trigger deactivated ${count(soak.rests, 'time')}`,
			`around a kill: ${around(lost)} lost, ${around(twice)} twice, ${count(soak.polls.interrupted, 'execution')} interrupted`,
			`otherwise: ${lost.length - around(lost)} lost, ${twice.length - around(twice)} twice`,
		],
		[
			'A site that came back to the list of a trigger started silently, while the others went on',
			changes.ofAbsence.length === 0 && visits.some((reports) => reports === 0),
			`${visits.filter((reports) => reports > 0).length} of ${count(visits.length, 'change')} of such sites reported`,
			...changes.ofAbsence.slice(0, 3),
		],
		[
			'Nothing was reported that had not changed',
			invented.length === 0,
			String(invented.length),
			...invented.slice(0, 3),
		],
		[
			'Each poll that failed said why in a sentence',
			soak.wrongPolls.length === 0,
			count(soak.polls.failed, 'failed poll'),
			...soak.wrongPolls.slice(0, 3),
		],
		[
			'No more logins than starts of n8n and expired tokens',
			service.counts.logins <= kills + 1 + expiries && service.counts.refusedLogins === 0,
			count(service.counts.logins, 'login'),
			`${count(kills + 1, 'start')}, ${count(expiries, 'expired token')}`,
		],
		[
			`The memory of n8n stayed flat (last third at most ${MEMORY_BOUND} times the first)`,
			last <= first * MEMORY_BOUND,
			`${megabytes(first)}, then ${megabytes(last)} (${count(samples, 'sample')} after warm-up)`,
		],
		[
			'No password and no token in the log, the files, the database and the responses of n8n',
			secrets.length === 0,
			`${count(secrets.length, 'finding')} of ${count(service.issuedTokens.length, 'token')}`,
			...secrets.slice(0, 3).map(({ place, secret }) => `${secret} in ${place}`),
		],
	];
}

import { randomUUID } from 'crypto';
import { deepCopy, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { ParameterError, ServiceFailure } from './failures';
import { parseApiVersion, parseMinimumDistance, triggerParameters } from './parameters';
import { SiteService, toNodeApiError } from './service';
import { SITE_PARTS } from './site';
import type { Site } from './site';
import { compareSites, sampleEvents, SITE_EVENTS } from './siteChanges';
import type { CompareOptions, SiteEvent, SiteEventName } from './siteChanges';
import { parseSiteIds } from './siteIds';

// n8n ends a poll after 45 seconds: these leave it time to say what went wrong
const POLL_LIMITS = { maxConcurrency: 16, longestWait: 5000 };
const POLL_REQUEST = { parts: SITE_PARTS, timeout: 10_000, maxRetries: 1 };

/** Differs from one start of n8n to the next. */
const THIS_START = randomUUID();

interface Settings extends CompareOptions {
	siteIds: string[];
	events: SiteEventName[];
	apiVersion: string;
}

/** What n8n keeps for the trigger from one poll to the next. */
interface Baseline {
	/** Base URL and interface version: with another one, nothing can be compared. */
	source: string;
	/** Each site as it was last read, by the ID it was asked for by. */
	sites: Record<string, Site>;
	/** Sites that were not found, and of which that has been said. */
	missing: string[];
	/** The start of n8n in which it was written. */
	start: string;
}

/** @throws NodeOperationError that names the parameter */
function readSettings(context: IPollFunctions): Settings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const fields = String(options.ignoreFields ?? '').split(',');
	try {
		return {
			siteIds: parseSiteIds(context.getNodeParameter('siteIds')),
			events: context.getNodeParameter('events', [...SITE_EVENTS]) as SiteEventName[],
			ignoreFields: fields.map((field) => field.trim()).filter((field) => field !== ''),
			minimumDistance: parseMinimumDistance(options.minimumDistance),
			apiVersion: parseApiVersion(options.apiVersion),
		};
	} catch (error) {
		throw new NodeOperationError(context.getNode(), error as ParameterError);
	}
}

/** Reads all sites side by side; what could not be read stands as its failure. */
async function readSites(
	service: SiteService,
	{ siteIds, apiVersion }: Settings,
): Promise<Map<string, Site | ServiceFailure>> {
	const entries = await Promise.all(
		siteIds.map(async (siteId) => {
			const answer = await service
				.read({ siteId, apiVersion, ...POLL_REQUEST })
				.then(({ body }) => body)
				.catch((error: ServiceFailure) => error);
			return [siteId, answer] as const;
		}),
	);
	return new Map(entries);
}

function toItems(events: SiteEvent[]): INodeExecutionData[] {
	return events.map((event) => ({ json: deepCopy(event) as unknown as IDataObject }));
}

export class AquacultureSiteTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Aquaculture Site Trigger',
		name: 'aquacultureSiteTrigger',
		icon: {
			light: 'file:../../icons/aquaculture.svg',
			dark: 'file:../../icons/aquaculture.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ "sites " + $parameter["siteIds"] }}',
		// n8n's node list shows this one for the site node too
		description:
			'Read aquaculture sites (sea farms) and their units, or start the workflow when they change',
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aquacultureApi', required: true }],
		properties: triggerParameters,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const settings = readSettings(this);
		const service = await SiteService.open(this, POLL_LIMITS).catch((error: Error) => error);
		if (service instanceof ServiceFailure) throw toNodeApiError(this.getNode(), service);
		if (service instanceof Error) throw service;

		const baseline = this.getWorkflowStaticData('node') as unknown as Partial<Baseline>;
		const sitesAtFirst = baseline.sites;
		const answers = await readSites(service, settings);
		const failures = new Map<string, ServiceFailure>();
		const sites = new Map<string, Site>();
		for (const [siteId, answer] of answers) {
			if (answer instanceof Error) failures.set(siteId, answer);
			else sites.set(siteId, answer);
		}
		const [firstFailure] = failures.values();
		const detectedAt = new Date().toISOString();

		if (this.getMode() === 'manual') {
			const [site] = sites.values();
			if (!site) throw toNodeApiError(this.getNode(), firstFailure!);
			return [toItems(sampleEvents(site, settings.events, detectedAt))];
		}

		// From here on nothing waits, so that two polls at once cannot tell the same twice. Where another one
		// was faster, what this one has read may be older.
		if (baseline.sites !== sitesAtFirst) return null;
		const source = `${service.url} ${settings.apiVersion}`;
		const old = baseline.source === source ? baseline : {};
		const oldMissing = (old.missing ?? []).filter((siteId) => failures.has(siteId));
		const newSites: Record<string, Site> = {};
		const events: SiteEvent[] = [];
		for (const siteId of settings.siteIds) {
			const before = old.sites?.[siteId];
			const after = sites.get(siteId);
			if (before && after) {
				const comparison = compareSites(before, after, detectedAt, settings);
				newSites[siteId] = comparison.baseline;
				events.push(...comparison.events);
			} else if (before ?? after) {
				newSites[siteId] = (after ?? before)!;
			}
		}
		const chosen = events.filter(({ event }) => settings.events.includes(event));

		// What is not known yet to be missing: to be told
		const news = [...failures].filter(
			([siteId, { httpStatus }]) => httpStatus !== 404 || !oldMissing.includes(siteId),
		);
		const [missing] = news.filter(([, { httpStatus }]) => httpStatus === 404);
		// In the first poll after a restart a throw would keep n8n from activating the workflow
		const justStarted = baseline.start !== undefined && baseline.start !== THIS_START;
		// An error and events cannot leave together: the events go first, the error with the next poll
		const mayThrow = chosen.length === 0 && !justStarted;
		Object.assign(baseline, {
			source,
			sites: newSites,
			missing: mayThrow && missing ? [...oldMissing, missing[0]] : oldMissing,
			start: THIS_START,
		} satisfies Baseline);

		for (const [siteId, { message, description }] of failures) {
			this.logger.warn(`Aquaculture Site Trigger: site ${siteId} was not read: ${message}`, {
				description,
			});
		}
		const worst = missing ?? (sites.size === 0 ? news[0] : undefined);
		if (mayThrow && worst) throw toNodeApiError(this.getNode(), worst[1]);
		return chosen.length > 0 ? [toItems(chosen)] : null;
	}
}

import { randomUUID } from 'crypto';
import { deepCopy, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';

import { compareWithBaseline } from './trigger/baseline';
import type { Baseline } from './trigger/baseline';
import { ParameterError, ServiceFailure } from './service/failures';
import { parseApiVersion, parseMinimumDistance, triggerParameters } from './operations/parameters';
import { SiteService, toNodeApiError } from './service/SiteService';
import { SITE_PARTS } from './site/site';
import type { Site } from './site/site';
import { sampleEvents, SITE_EVENTS } from './trigger/changes';
import type { CompareOptions, SiteEvent, SiteEventName } from './trigger/changes';
import { parseSiteIds } from './site/siteIds';

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

/** @throws NodeOperationError that names the parameter */
function readSettings(context: IPollFunctions): Settings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	try {
		return {
			siteIds: parseSiteIds(context.getNodeParameter('siteIds')),
			events: context.getNodeParameter('events', [...SITE_EVENTS]) as SiteEventName[],
			ignoreFields: String(options.ignoreFields ?? '')
				.split(',')
				.map((field) => field.trim()),
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
		const detectedAt = new Date().toISOString();

		if (this.getMode() === 'manual') {
			const all = [...answers.values()];
			const site = all.find((answer): answer is Site => !(answer instanceof Error));
			if (!site) throw toNodeApiError(this.getNode(), all[0] as ServiceFailure);
			return [toItems(sampleEvents(site, settings.events, detectedAt))];
		}

		// From here on nothing waits, so that two polls at once cannot tell the same twice. Where another one
		// was faster, what this one has read may be older.
		if (baseline.sites !== sitesAtFirst) return null;
		const source = `${service.url} ${settings.apiVersion}`;
		const step = compareWithBaseline(
			baseline,
			{ source, start: THIS_START, detectedAt, answers },
			settings,
		);
		Object.assign(baseline, step.baseline);
		for (const [siteId, { message, description }] of step.unread) {
			this.logger.warn(`Aquaculture Site Trigger: site ${siteId} was not read: ${message}`, {
				description,
			});
		}
		if (step.failure) throw toNodeApiError(this.getNode(), step.failure);
		return step.events.length > 0 ? [toItems(step.events)] : null;
	}
}

// The trigger: what n8n shows, and the poll.
import { deepCopy, NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';

import { toNodeError } from './nodeErrors';
import { SiteService } from './run/SiteService';
import { testCredential } from './service/http/credentialTest';
import { CREDENTIAL } from './service/http/request';
import { asFailure } from './service/messages/failures';
import type { SiteEvent } from './trigger/events';
import { checkIgnoredFields, parseSettings, triggerFields } from './trigger/fields';
import type { Settings } from './trigger/fields';
import { concludePoll } from './trigger/poll';
import { readFirstSite, readSites } from './trigger/reading';
import type { Reading } from './trigger/reading';
import { toTriggerFailure } from './trigger/reports';
import { sampleEvents } from './trigger/samples';
import { readOrder, readState } from './trigger/state';
import { ParameterError, Parameters } from './utils/parameters';

// A wait that is longer ends the poll: what is left is read in the next one
const LIMITS = { maxConcurrency: 128, longestWait: 30_000 };

const FIRST_POLL =
	'The first check of a site only remembers it. From then on, each change starts the workflow. If a site ID is wrong or the login is rejected, a failed execution says so.';

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
		// The link of the codex would lose its section: n8n appends parameters to it
		documentationUrl:
			'https://github.com/n8n-nodes-aquaculture/n8n-nodes-aquaculture#use-the-trigger',
		defaults: { name: 'Aquaculture Site Trigger' },
		polling: true,
		triggerPanel: {
			header: '',
			// Below the button; n8n's own help says when the node starts the workflow
			activationHint: `Once the workflow is published, n8n checks the sites at the times under <b>Poll Times</b>. ${FIRST_POLL}`,
		},
		activationMessage: FIRST_POLL,
		hints: [
			{
				type: 'info',
				// In a test and in the execution of a published workflow alike
				whenToDisplay: 'always',
				location: 'outputPane',
				message:
					"Test events are based on the first site in 'Site IDs'. The events of a published workflow are real.",
			},
		],
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true, testedBy: 'testCredential' }],
		properties: triggerFields,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions) {
		const isTest = this.getMode() === 'manual';
		let settings: Settings | undefined;
		try {
			const parameters = new Parameters((name, fallback) => this.getNodeParameter(name, fallback));
			settings = parseSettings(parameters);
			const events = await (isTest ? sampleOf(this, settings) : pollSites(this, settings));
			if (events.length === 0) return null;
			return [events.map((event) => ({ json: deepCopy(event) as unknown as IDataObject }))];
		} catch (error) {
			const isOfField = !settings || error instanceof ParameterError;
			// Who fetches a test event or publishes the workflow sees what is thrown; who starts n8n does not
			if (isTest || (isOfField && !isStartup(this))) throw toNodeError(this.getNode(), error);
			report(this, error);
			return null;
		}
	}
}

/**
 * Makes a failed execution, which starts the error workflow. A throw would do the same, but not when the workflow is
 * published or n8n starts: it leaves a trigger that n8n shows as published and never polls. So that is for the trigger's
 * own fields alone.
 */
function report(context: IPollFunctions, error: unknown): void {
	context.__emitError(toNodeError(context.getNode(), error));
}

function isStartup(context: IPollFunctions): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** n8n hands all polls of an activation the same context. */
const published = new WeakSet();

/** Whether a person publishes the workflow; to be called once in each poll. */
function isPublishing(context: IPollFunctions): boolean {
	if (published.has(context)) return false;
	published.add(context);
	return !isStartup(context);
}

/** What "Fetch Test Event" shows. */
async function sampleOf(context: IPollFunctions, settings: Settings): Promise<SiteEvent[]> {
	const { siteIds, apiVersion, events } = settings;
	const service = await SiteService.open(context, LIMITS);
	const site = await readFirstSite(service, siteIds, apiVersion);
	return sampleEvents(site, events, settings, new Date().toISOString());
}

/** The triggers of which a poll runs, by their static data: one object from the activation to the end. */
const polling = new WeakSet();

/**
 * One poll of a trigger at a time: n8n may start another one before the first has ended.
 *
 * @returns what has changed; nothing while another poll reads the same sites
 * @throws ParameterError if a field is wrong; n8n's own error
 */
async function pollSites(context: IPollFunctions, settings: Settings): Promise<SiteEvent[]> {
	const staticData = context.getWorkflowStaticData('node');
	if (polling.has(staticData)) return [];
	polling.add(staticData);
	try {
		const { siteIds, apiVersion, ignoreFields } = settings;
		const service = await SiteService.open(context, LIMITS).catch(asFailure);
		const isOpen = service instanceof SiteService;
		const old = readState(staticData, siteIds, isOpen ? `${service.url} ${apiVersion}` : undefined);
		const reading: Reading = isOpen
			? await readSites(service, readOrder(old.sites), apiVersion)
			: { results: new Map(), interruption: toTriggerFailure(service) };
		if (isPublishing(context)) checkIgnoredFields(ignoreFields, reading);
		const conclusion = concludePoll(old, reading, settings, new Date());
		Object.assign(staticData, conclusion.state);
		for (const { site, failure } of conclusion.unreadable) {
			const text = `Aquaculture Site Trigger: site ${site.siteId} was not read: ${failure.message}`;
			context.logger.warn(text, { description: failure.description });
		}
		if (conclusion.report) report(context, conclusion.report);
		return conclusion.events;
	} finally {
		polling.delete(staticData);
	}
}

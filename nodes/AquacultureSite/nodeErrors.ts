// Turns a failure into the error or the item that n8n shows.
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { toWords } from './service/messages/advice';
import { ServiceFailure } from './service/messages/failures';
import { CREDENTIAL } from './service/http/request';
import { ParameterError } from './utils/parameters';
import { escapeHtml, withoutTags } from './utils/text';

/**
 * {@link toPlainError}, to be thrown. Nobody else's words become HTML in it: n8n's editor renders the description as
 * HTML, and the message as text in the panel but as HTML in its pop-up, so there is no escape for what looks like a tag.
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number) {
	const failure = toPlainError(node, error, itemIndex);
	// n8n's own errors are HTML already
	if (error instanceof ServiceFailure || error instanceof ParameterError) {
		failure.description &&= escapeHtml(failure.description);
		failure.message = withoutTags(failure.message);
	}
	return failure;
}

/**
 * A failure as n8n shows it, with the item it belongs to, and the name of the credential to open.
 *
 * @param error a ServiceFailure, a ParameterError, or what n8n itself has thrown
 */
export function toPlainError(node: INode, error: unknown, itemIndex?: number) {
	if (!(error instanceof ServiceFailure)) {
		const nodeError = new NodeOperationError(node, error as Error, { itemIndex });
		// In full: n8n rewrites a message that happens to hold a word such as ENOENT
		if (error instanceof ParameterError) nodeError.message = error.message;
		return nodeError;
	}
	const { subject, advice, httpStatus } = error;
	const name = node.credentials?.[CREDENTIAL]?.name;
	const named = name === undefined ? '' : ` "${name}"`;
	const message =
		subject === 'credential' && named ? `${error.message}: credential${named}` : error.message;
	const description = toWords(advice, {
		openCredential: `open the credential${named}`,
		// A trigger has no input items, and none of the options
		hasOptions: itemIndex !== undefined,
	});
	const httpCode = httpStatus?.toString();
	// Made from scratch, because n8n's own error holds the request with its token
	const apiError = new NodeApiError(node, {}, { message, description, httpCode, itemIndex });
	// In full, as above: a credential may have any name
	apiError.message = message;
	return apiError;
}

/** A message that names its site, which nothing else on the error output does if there are several in an item. */
export function nameSite(message: string, siteId: string): string {
	const isNamed = new RegExp(`\\bsite ${siteId}\\b`, 'i').test(message);
	return isNamed ? message : `Site ${siteId}: ${message}`;
}

/**
 * An item that failed, as n8n sends it on: `error` is what happened, `details` what to do. It has no `error` beside
 * its `json`, for which n8n would replace the whole of it by the message.
 *
 * @param siteId the site that could not be read, if it is one
 */
export function errorItem(
	context: IExecuteFunctions,
	{ message, description }: Pick<NodeApiError, 'message' | 'description'>,
	itemIndex: number,
	siteId?: string,
): INodeExecutionData {
	// n8n sends an item there, with the fields of its input, only if it has no fields but these two
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	// n8n 1.x knows the second of them as `message`. Told by its contexts: the package may find another n8n-workflow
	const isN8n1 = !('isToolExecution' in context);
	return {
		json: {
			error: message,
			...(description && { [hasErrorOutput && isN8n1 ? 'message' : 'details']: description }),
			...(siteId !== undefined && !hasErrorOutput && { siteId: Number(siteId) }),
		},
		pairedItem: { item: itemIndex },
	};
}

import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { joinSentences } from './service/advice';
import { ServiceFailure } from './service/failures';
import { CREDENTIAL } from './service/request';
import { ParameterError } from './site/parameters';

/** Either of n8n's errors of a node. */
export type NodeFailure = NodeApiError | NodeOperationError;

/**
 * A failure as n8n shows it, with the item it belongs to.
 *
 * @param error a ServiceFailure, a ParameterError, or what n8n itself has thrown
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeFailure {
	if (error instanceof ServiceFailure) return toNodeApiError(node, error, itemIndex);
	const nodeError = new NodeOperationError(node, error as Error, { itemIndex });
	// In full: n8n rewrites a message that happens to hold a word such as ENOENT
	if (error instanceof ParameterError) nodeError.message = error.message;
	return nodeError;
}

/** With the name of the credential to open. Made from scratch, because n8n's own error holds the request with its token. */
function toNodeApiError(
	node: INode,
	{ message, description, optionAdvice, subject, httpStatus }: ServiceFailure,
	itemIndex?: number,
): NodeApiError {
	const name = node.credentials?.[CREDENTIAL]?.name;
	const text =
		subject === 'credential' && name !== undefined ? `${message}: credential "${name}"` : message;
	// A trigger has no input items, and none of the options that the advice names
	const advice = joinSentences(description, (itemIndex !== undefined && optionAdvice) || '');
	const error = new NodeApiError(
		node,
		{},
		{
			message: text,
			description:
				name === undefined
					? advice
					: advice.replace(/[Oo]pen the credential/, (words) => `${words} "${name}"`),
			...(httpStatus !== undefined && { httpCode: String(httpStatus) }),
			itemIndex,
		},
	);
	// In full, as above: a credential may have any name
	error.message = text;
	return error;
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Document, OpenAPIBackend, type Operation, type Request } from 'openapi-backend';
import { parse } from 'yaml';
import type { Exchange } from './exchanges';

const FILE = resolve(__dirname, '../../../docs/openapi.yaml');
const JSON_TYPE = /^application\/json *(;|$)/;
/** What any HTTP client sends for itself; docs/openapi.yaml names the other headers. */
const HTTP_HEADERS =
	/^(accept(-encoding|-language)?|connection|content-length|host|sec-fetch-mode|user-agent)$/;

/** OpenAPI describes these in places of their own, which openapi-backend leaves to its caller. */
function brokenByHeaders({ headers, body }: Exchange['request'], operation: Operation): string[] {
	const forms: Record<string, RegExp> = {
		...(operation.security?.length !== 0 && { authorization: /^Bearer \S+$/ }),
		...(operation.requestBody && { 'content-type': JSON_TYPE }),
	};
	const parameters = operation.parameters as Array<{ name: string }>;
	const named = [...Object.keys(forms), ...parameters.map(({ name }) => name.toLowerCase())];
	return [
		...Object.keys(forms).filter((name) => !forms[name]?.test(String(headers[name]))),
		...Object.keys(headers).filter((name) => !named.includes(name) && !HTTP_HEADERS.test(name)),
		...(operation.requestBody || body === '' ? [] : ['body']),
	].map((what) => `the ${what} is missing, malformed or not in the contract`);
}

/** Reads docs/openapi.yaml. The result says what a request, or its response where there is one, breaks of it. */
export async function loadContract(): Promise<(exchange: Exchange) => string[]> {
	const api = new OpenAPIBackend({
		definition: parse(readFileSync(FILE, 'utf8')) as Document,
		quick: true,
		ajvOpts: { strict: true, allowUnionTypes: true, allErrors: true, formats: { date: true } },
	});
	const { validator, router } = await api.init();
	const operations = router.getOperations().map((operation) => {
		const pattern = new RegExp(`^${operation.path.replace(/\{\w+\}/, '[^/]+')}$`);
		return { ...operation, pattern };
	});

	return ({ request, response }) => {
		const operation = operations.find(
			({ method, pattern }) =>
				method === request.method.toLowerCase() && pattern.test(request.path),
		);
		if (!operation) return response ? [] : ['no operation has this method and path'];
		// Of other statuses nothing is specified: docs/service.md#errors
		if (response && response.status !== 200) return [];
		const content = JSON.parse(response?.body ?? '{}') as object;
		const { errors } = response
			? validator.validateResponse(content, operation, 200)
			: validator.validateRequest(request as Request, operation);
		// Rules 2 and 3 of docs/service.md#get-a-site, which OpenAPI has no words for
		const parts = new URLSearchParams(request.query).get('$include')?.split(',') ?? [];
		const absent = parts.filter((part) => response && !Object.hasOwn(content, part));
		return [
			...(response ? [] : brokenByHeaders(request, operation)),
			...(errors ?? []).map(({ instancePath, message }) => `${instancePath} ${String(message)}`),
			...absent.map((part) => `${part} is requested and not there`),
		];
	};
}

// Between the conformance suite, which cannot send a token, and the server, which wants one.
//
//   TOKEN=… node token-proxy.mjs http://127.0.0.1:PORT/mcp
//
// Prints its own URL. Adds the header Authorization to every request and changes nothing else, but for its own address
// in Host and Origin, which becomes the server's: a foreign Host or Origin arrives as it was sent.
import http from 'node:http';

const target = new URL(process.argv[2]);
const token = process.env.TOKEN;

const proxy = http.createServer((request, response) => {
  const own = proxy.address().port;
  const translated = (text) => text?.replace(/(localhost|127\.0\.0\.1)(:\d+)?$/, (whole, _name, port) =>
    port === `:${own}` ? target.host : whole);
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  headers.host = translated(headers.host);
  if (headers.origin) headers.origin = translated(headers.origin);
  const onward = http.request(
    { host: target.hostname, port: target.port, path: request.url, method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    },
  );
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
});
proxy.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${proxy.address().port}${target.pathname}`);
});

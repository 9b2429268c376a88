// The code arrives in the fragment, which no server and no log sees; it leaves the address bar at once.
const form = document.getElementById("sign-in");
const code = window.location.hash.slice(1);
if (form && code) {
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
  form.elements.code.value = code;
  form.submit();
}

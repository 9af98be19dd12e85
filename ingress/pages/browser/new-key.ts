// The page of a new key: a reload would else send the form again, and make another key.

history.replaceState(null, "", "/dashboard");
